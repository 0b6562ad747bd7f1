const ICON = /@ant-design[\\/]icons[\\/]es[\\/]components[\\/]AntdIcon(Light)?\.js/
/** The expression in the library that labels an icon with its file name. */
const LABEL = '"aria-label": icon.name'

/**
 * Hides icons without a label from screen readers: they are next to texts, or in labeled buttons. The library would announce the
 * English name of each icon, including those of its own components, and has no setting for that.
 */
export const decorativeIcons = {
  name: 'decorative-icons',
  transform(code: string, id: string): string | undefined {
    if (!ICON.test(id)) return undefined
    if (!code.includes(LABEL)) throw new Error(`Icons are labelled in another way now: look at ${id}`)
    return code.replace(LABEL, '"aria-hidden": restProps["aria-label"] === undefined || undefined')
  },
}
