import { Table as AntTable, type TablePaginationConfig, type TableProps } from 'antd'
import { cloneElement, isValidElement, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'

/**
 * A table of antd that the keyboard can scroll where it is wider than its place, whatever is in it (WCAG 2.1.1). The
 * column with the key `actions` stays at the edge then, so that its buttons are there on a phone too.
 */
export function Table<Row extends object>({ pagination, columns, ...props }: TableProps<Row>) {
  const itemRender = useNamedArrows()
  const kept = columns?.map((column) => (column.key === 'actions' ? { ...column, fixed: 'end' as const } : column))
  return (
    <AntTable
      {...props}
      {...(kept && { columns: kept })}
      pagination={pagination !== false && { ...pagination, itemRender }}
      ref={letFocus}
    />
  )
}

/** How pages are shown: the arrows before and behind them have no text, and get a name. */
export function useNamedArrows(): NonNullable<TablePaginationConfig['itemRender']> {
  const { t } = useTranslation('parts')
  return (_, type, item) => {
    if ((type !== 'prev' && type !== 'next') || !isValidElement(item)) return item
    return cloneElement(item as ReactElement<{ 'aria-label': string }>, { 'aria-label': t(`pages.${type}`) })
  }
}

/** Made once, and called when a table has come. */
function letFocus(table: { readonly nativeElement: HTMLElement } | null): void {
  for (const scrolled of table?.nativeElement.querySelectorAll('.ant-table-content, .ant-table-body') ?? [])
    scrolled.setAttribute('tabindex', '0')
}
