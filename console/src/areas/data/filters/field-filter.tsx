import { Flex, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription, Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { type Comparison, isBare, type Operator, operatorsOf } from './filter-tree.ts'
import { OperandEditor } from './operand-editor.tsx'

interface FieldFilterProps {
  readonly description: ClassDescription
  readonly filter: Comparison
  onChange(filter: Comparison): void
}

const SYSTEM: { readonly [name: string]: Field } = {
  objectId: { type: 'String' },
  createdAt: { type: 'Date' },
  updatedAt: { type: 'Date' },
}

/** A field, an operator, and its value. */
export function FieldFilter({ description, filter, onChange }: FieldFilterProps) {
  const { t } = useTranslation('data')
  const fields = { ...description.fields, ...SYSTEM }
  // Keys with dots refer to members of objects, which have no type.
  const field = ownMember<Field>(fields, filter.field) ?? { type: 'Object' }
  const known = operatorsOf(field.type)
  const operators = known.includes(filter.operator) ? known : [...known, filter.operator]
  const names = Object.keys(fields).filter((name) => fields[name]!.type !== 'Relation')
  const options = [...new Set([...names, filter.field])].map((name) => ({ value: name, label: name }))
  return (
    <Flex wrap gap={8} align="start">
      <Select
        aria-label={t('filter.field')}
        showSearch
        style={{ width: 180 }}
        value={filter.field}
        options={options}
        onChange={(name) => {
          const [operator] = operatorsOf(ownMember<Field>(fields, name)?.type ?? 'Object')
          onChange({ kind: 'field', field: name, operator: operator!, value: undefined })
        }}
      />
      <Select<Operator>
        aria-label={t('filter.operator')}
        style={{ width: 180 }}
        value={filter.operator}
        options={operators.map((operator) => ({ value: operator, label: t(`operators.${operator}`) }))}
        onChange={(operator) => onChange({ ...filter, operator, value: keptValue(filter, operator) })}
      />
      {!isBare(filter.operator) && (
        <div style={{ flex: '1 1 220px', minWidth: 0 }}>
          <OperandEditor
            key={`${filter.field} ${filter.operator}`}
            field={field}
            operator={filter.operator}
            value={filter.value}
            onChange={(value) => onChange({ ...filter, value })}
          />
        </div>
      )}
    </Flex>
  )
}

const LISTS: ReadonlySet<Operator> = new Set(['in', 'notIn', 'all'])
const OTHERS: ReadonlySet<Operator> = new Set(['near', 'within', 'inQuery', 'notInQuery', 'size'])

/** Keeps an entered value when the new operator accepts it too. */
function keptValue({ operator, value }: Comparison, next: Operator): unknown {
  const form = (one: Operator) => (OTHERS.has(one) ? one : LISTS.has(one) ? 'list' : 'single')
  return form(operator) === form(next) ? value : undefined
}
