import { DeleteOutlined, DownOutlined, TableOutlined, UpOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Checkbox, Flex, Popover } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { RemoveField } from '../../classes/remove-field.tsx'
import { rowsKey } from '../data-queries.ts'
import { type ColumnChoice, SYSTEM_FIELDS } from '../grid/use-column-choice.ts'

interface ColumnMenuProps {
  readonly className: string
  readonly columns: ColumnChoice
}

/** The visibility and order of columns; a column can be deleted with its values. */
export function ColumnMenu({ className, columns }: ColumnMenuProps) {
  const { t } = useTranslation('data')
  const { appId, canChange } = useApp()
  const queries = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const [deleted, setDeleted] = useState<string | null>(null)
  const { order, hidden } = columns
  const begin = (name: string) => {
    setIsOpen(false)
    setDeleted(name)
  }
  const end = () => {
    setDeleted(null)
    void queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
  }
  const list = (
    <Flex vertical gap={4} style={{ maxHeight: 'min(420px, 60vh)', overflow: 'auto', minWidth: 240 }}>
      {order.map((name, index) => (
        <Flex key={name} align="center" gap={4}>
          <Checkbox
            checked={!hidden.has(name)}
            onChange={(event) => columns.setHidden(name, !event.target.checked)}
            style={{ flex: 1 }}
          >
            <span translate="no">{name}</span>
          </Checkbox>
          <Button
            type="text"
            size="small"
            icon={<UpOutlined />}
            aria-label={t('columns.up', { name })}
            disabled={index === 0}
            onClick={() => columns.move(name, order[index - 1]!)}
          />
          <Button
            type="text"
            size="small"
            icon={<DownOutlined />}
            aria-label={t('columns.down', { name })}
            disabled={index === order.length - 1}
            onClick={() => columns.move(name, order[index + 1]!)}
          />
          {canChange && (
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined />}
              aria-label={t('columns.delete', { name })}
              disabled={SYSTEM_FIELDS.has(name)}
              onClick={() => begin(name)}
            />
          )}
        </Flex>
      ))}
      <Button type="link" onClick={columns.reset}>
        {t('columns.reset')}
      </Button>
    </Flex>
  )
  return (
    <>
      <Popover trigger="click" placement="bottomLeft" content={list} open={isOpen} onOpenChange={setIsOpen}>
        <Button icon={<TableOutlined />}>{t('columns.title')}</Button>
      </Popover>
      {deleted !== null && <RemoveField className={className} field={deleted} onClose={end} />}
    </>
  )
}
