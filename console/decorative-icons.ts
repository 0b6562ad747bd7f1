const ICON = /@ant-design[\\/]icons[\\/]es[\\/]components[\\/]AntdIcon(Light)?\.js/
/** Where the library says that an icon is called what its file is called. */
const LABEL = '"aria-label": icon.name'

/**
 * Hides icons from who hears a page, unless they have a label: they stand beside texts, or in buttons that have one. The library,
 * which makes those of its own components too, would read out the English name of each, and has no setting for that.
 */
export const decorativeIcons = {
  name: 'decorative-icons',
  transform(code: string, id: string): string | undefined {
    if (!ICON.test(id)) return undefined
    if (!code.includes(LABEL)) throw new Error(`Icons are labelled in another way now: look at ${id}`)
    return code.replace(LABEL, '"aria-hidden": restProps["aria-label"] === undefined || undefined')
  },
}
