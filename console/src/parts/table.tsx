import { Table as AntTable, type TableProps } from 'antd'

/** A table of antd that the keyboard can scroll where it is wider than its place, whatever is in it (WCAG 2.1.1). */
export function Table<Row extends object>(props: TableProps<Row>) {
  return <AntTable {...props} ref={letFocus} />
}

/** Made once, and called when a table has come. */
function letFocus(table: { readonly nativeElement: HTMLElement } | null): void {
  for (const scrolled of table?.nativeElement.querySelectorAll('.ant-table-content, .ant-table-body') ?? [])
    scrolled.setAttribute('tabindex', '0')
}
