import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Flex, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { classesQuery } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { type Condition, type FieldType, OPERATORS } from './push-draft.ts'

interface ConditionRowsProps {
  readonly conditions: readonly Condition[]
  onChange(conditions: readonly Condition[]): void
}

/** Conditions on devices, combined with and, selected in a form. */
export function ConditionRows({ conditions, onChange }: ConditionRowsProps) {
  const { t } = useTranslation('push')
  const { appId } = useApp()
  const classes = useQuery(classesQuery(appId))
  const fields = Object.entries(classes.data?.find(({ className }) => className === '_Installation')?.fields ?? {})
    .filter(([, { type }]) => isFieldType(type))
    .map(([value, { type }]) => ({ value, label: value, type: type as FieldType }))
  const put = (changed: Condition) => onChange(conditions.map((known) => (known.id === changed.id ? changed : known)))
  const add = () => {
    const id = Math.max(0, ...conditions.map((known) => known.id)) + 1
    onChange([...conditions, { id, field: '', type: 'String', operator: 'equals', value: '' }])
  }
  return (
    <Flex vertical gap={8} align="start">
      {conditions.map((condition) => (
        <Flex key={condition.id} wrap gap={8} style={{ width: '100%' }}>
          <Select
            aria-label={t('conditions.field')}
            placeholder={t('conditions.field')}
            style={{ width: 190 }}
            showSearch
            value={condition.field || null}
            options={fields}
            onChange={(field) => {
              const type = fields.find(({ value }) => value === field)?.type ?? 'String'
              put({ ...condition, field, type, operator: OPERATORS[type][0], value: type === 'Boolean' ? 'true' : '' })
            }}
          />
          <Select
            aria-label={t('conditions.operator')}
            style={{ width: 150 }}
            value={condition.operator}
            options={OPERATORS[condition.type].map((value) => ({ value, label: t(`operators.${value}`) }))}
            onChange={(operator) => put({ ...condition, operator })}
          />
          <Value condition={condition} onChange={(value) => put({ ...condition, value })} />
          <Button
            type="text"
            icon={<DeleteOutlined />}
            aria-label={t('conditions.remove', { field: condition.field })}
            onClick={() => onChange(conditions.filter(({ id }) => id !== condition.id))}
          />
        </Flex>
      ))}
      <Button icon={<PlusOutlined />} onClick={add}>
        {t('conditions.add')}
      </Button>
    </Flex>
  )
}

function Value({ condition, onChange }: { readonly condition: Condition; onChange(value: string): void }) {
  const { t } = useTranslation('push')
  const { type, operator, value } = condition
  if (operator === 'exists' || operator === 'missing') return null
  if (type === 'Boolean')
    return (
      <Select
        aria-label={t('conditions.value')}
        style={{ width: 120 }}
        value={value}
        options={(['true', 'false'] as const).map((choice) => ({ value: choice, label: t(`conditions.${choice}`) }))}
        onChange={onChange}
      />
    )
  return (
    <Input
      aria-label={t('conditions.value')}
      type={type === 'Date' ? 'datetime-local' : 'text'}
      inputMode={type === 'Number' ? 'decimal' : 'text'}
      style={{ width: 220 }}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function isFieldType(type: string): type is FieldType {
  return Object.hasOwn(OPERATORS, type)
}
