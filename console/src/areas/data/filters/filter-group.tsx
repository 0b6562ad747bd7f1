import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Flex, Segmented, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { parseObject, type Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import type { Condition } from '../data-search.ts'
import { FieldFilter } from './field-filter.tsx'
import type { Filter, Group } from './filter-tree.ts'

interface FilterGroupProps {
  readonly description: ClassDescription
  readonly group: Group
  /** The nesting depth. */
  readonly depth: number
  onChange(group: Group): void
}

/** Deeper groups are edited as JSON. */
const DEEPEST = 3

/** Filters combined with and or or, including groups. */
export function FilterGroup({ description, group, depth, onChange }: FilterGroupProps) {
  const { t } = useTranslation('data')
  const { token } = theme.useToken()
  const replace = (index: number, filter: Filter | null) =>
    onChange({ ...group, of: group.of.flatMap((one, n) => (n !== index ? [one] : filter ? [filter] : [])) })
  const add = (filter: Filter) => onChange({ ...group, of: [...group.of, filter] })
  const [field = 'objectId'] = Object.keys(description.fields)
  const empty: Filter = { kind: 'field', field, operator: 'equal', value: undefined }
  return (
    <Flex
      vertical
      gap={8}
      style={depth > 0 ? { borderInlineStart: `3px solid ${token.colorPrimaryBorder}`, paddingInlineStart: 12 } : {}}
    >
      {group.of.length > 1 && (
        <Segmented<Group['kind']>
          size="small"
          aria-label={t('filter.how')}
          style={{ alignSelf: 'flex-start' }}
          value={group.kind}
          onChange={(kind) => onChange({ ...group, kind })}
          options={[
            { value: 'all', label: t('filter.all') },
            { value: 'any', label: t('filter.any') },
          ]}
        />
      )}
      {group.of.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no names, and stand where they stand
        <Flex key={index} gap={8} align="start">
          <div style={{ flex: 1, minWidth: 0 }}>{shown(filter, (next) => replace(index, next))}</div>
          <Button
            type="text"
            icon={<DeleteOutlined />}
            aria-label={t('filter.remove')}
            onClick={() => replace(index, null)}
          />
        </Flex>
      ))}
      <Flex gap={8}>
        <Button size="small" icon={<PlusOutlined />} onClick={() => add(empty)}>
          {t('filter.add')}
        </Button>
        {depth < DEEPEST && (
          <Button size="small" onClick={() => add({ kind: group.kind === 'all' ? 'any' : 'all', of: [empty, empty] })}>
            {t('filter.addGroup')}
          </Button>
        )}
      </Flex>
    </Flex>
  )

  function shown(filter: Filter, change: (filter: Filter) => void) {
    if (filter.kind === 'field') return <FieldFilter description={description} filter={filter} onChange={change} />
    if (filter.kind !== 'json')
      return <FilterGroup description={description} group={filter} depth={depth + 1} onChange={change} />
    return <JsonFilter where={filter.where} onChange={(where) => change({ kind: 'json', where })} />
  }
}

interface JsonFilterProps {
  readonly where: Condition | Unparsed
  onChange(where: Condition | Unparsed): void
}

/** A condition that the form cannot represent. */
function JsonFilter({ where, onChange }: JsonFilterProps) {
  const { t } = useTranslation('data')
  const [text, setText] = useState(() => JSON.stringify(where, null, 2))
  return (
    <div>
      <JsonEditor
        label={t('filter.json')}
        height="80px"
        value={text}
        onChange={(next) => {
          setText(next)
          onChange(parseObject(next))
        }}
      />
      <EntryFault value={where} />
    </div>
  )
}
