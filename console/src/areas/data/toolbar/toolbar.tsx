import { FilterOutlined, ReloadOutlined, UndoOutlined } from '@ant-design/icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge, Button, Flex, Tooltip, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { Problem } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { useShownCount } from '../classes/use-shown-count.ts'
import { countQuery, rowsKey } from '../data-queries.ts'
import { useShownData } from '../data-search.ts'
import { useEdits } from '../edits/edits.tsx'
import { mayAddRows } from '../edits/row-rules.ts'
import { FilterPanel } from '../filters/filter-panel.tsx'
import type { ColumnChoice } from '../grid/use-column-choice.ts'
import { ClassTools } from './class-tools.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { NewColumn } from './new-column.tsx'
import { NewRow } from './new-row.tsx'
import { SelectionTools } from './selection-tools.tsx'

/** Error code: the query timed out. */
const TIMED_OUT = 124

interface ToolbarProps {
  readonly description: ClassDescription
  readonly columns: ColumnChoice
  /** Ids of the selected rows */
  readonly selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
}

/** Actions on the rows of a class: on all rows shown, or on the selected ones. */
export function Toolbar({ description, columns, selected, onSelect }: ToolbarProps) {
  const { t } = useTranslation('data')
  const { appId, canChange } = useApp()
  const { className, where } = useShownData()
  const queries = useQueryClient()
  const edits = useEdits()
  const [isFiltering, setIsFiltering] = useState(where !== undefined)
  const refresh = () => void queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
  if (selected.size > 0)
    return <SelectionTools description={description} selected={selected} onDone={() => onSelect(new Set())} />
  return (
    <Flex vertical gap={12}>
      <Flex wrap gap={8} align="center">
        {canChange && mayAddRows(className) && <NewRow description={description} type="primary" />}
        <Badge dot={where !== undefined}>
          <Button icon={<FilterOutlined />} aria-expanded={isFiltering} onClick={() => setIsFiltering(!isFiltering)}>
            {t('filter.title')}
          </Button>
        </Badge>
        <ColumnMenu className={className} columns={columns} />
        {canChange && <NewColumn className={className} />}
        {canChange && (
          <Tooltip title={edits.lastStep}>
            <Button
              icon={<UndoOutlined />}
              aria-label={t('edits.undo')}
              disabled={edits.lastStep === null}
              onClick={() => void edits.undo()}
            />
          </Tooltip>
        )}
        <Button icon={<ReloadOutlined />} aria-label={t('toolbar.refresh')} onClick={refresh} />
        <Flex wrap flex={1} justify="flex-end" align="center" gap={12}>
          <ShownCount />
          <ClassTools description={description} />
        </Flex>
      </Flex>
      {isFiltering && <FilterPanel key={JSON.stringify(where)} description={description} />}
    </Flex>
  )
}

function ShownCount() {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const { className, where } = useShownData()
  const { data, error } = useQuery(countQuery(appId, className, where))
  const shownCount = useShownCount()
  if (error instanceof Problem && error.code === TIMED_OUT)
    return <Typography.Text type="secondary">{t('count.unknown')}</Typography.Text>
  if (!data) return null
  return (
    <Typography.Text type="secondary" role="status" style={{ whiteSpace: 'nowrap' }}>
      {t('count.rows', { count: data.count, number: shownCount(data) })}
    </Typography.Text>
  )
}
