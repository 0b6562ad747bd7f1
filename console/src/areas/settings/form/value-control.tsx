import { Input, Select, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { NumberInput } from '../../../parts/entry/number-input.tsx'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import type { Json } from '../draft.ts'
import { kindOf, type Node, valueSchema } from '../schema.ts'
import { JsonControl } from './json-control.tsx'

interface ValueControlProps {
  readonly id: string
  readonly label: string
  readonly node: Node
  readonly value: Json | undefined
  readonly isDisabled: boolean
  readonly isWrong: boolean
  /** Null resets the setting to its default. */
  onChange(value: Json): void
  /** The input is invalid: it stays as typed, and saving is disabled. */
  onUnparsed(): void
}

/** Edits one value, by its schema. */
export function ValueControl({ id, label, node, value, isDisabled, isWrong, onChange, onUnparsed }: ValueControlProps) {
  const { t } = useTranslation('settings')
  const { schema } = node
  const { minimum, maximum, maxLength } = valueSchema(schema)
  const status = isWrong ? 'error' : ''
  const text = typeof value === 'string' ? value : ''
  const changeText = (typed: string) => onChange(typed === '' && schema.default !== '' ? null : typed)
  switch (kindOf(node)) {
    case 'switch':
      return (
        <Switch
          id={id}
          checked={value === true}
          disabled={isDisabled || schema.const !== undefined}
          onChange={onChange}
        />
      )
    case 'choice':
      return (
        <Select
          id={id}
          value={text}
          status={status}
          disabled={isDisabled}
          style={{ width: '100%' }}
          options={schema.enum!.map((choice) => ({ value: choice, label: choice }))}
          onChange={onChange}
        />
      )
    case 'number':
      return (
        <NumberInput
          id={id}
          value={value}
          status={status}
          disabled={isDisabled}
          placeholder={t('none')}
          style={{ width: '100%' }}
          min={minimum}
          max={maximum}
          isInteger={valueSchema(schema).type === 'integer'}
          onChange={(number) => (number instanceof Unparsed ? onUnparsed() : onChange(number ?? null))}
        />
      )
    case 'texts':
      return (
        <Select
          id={id}
          mode="tags"
          open={false}
          suffixIcon={null}
          tokenSeparators={[',', ' ', '\n']}
          value={Array.isArray(value) ? (value as readonly string[]) : []}
          status={status}
          disabled={isDisabled}
          placeholder={t('listHint')}
          style={{ width: '100%' }}
          onChange={(texts) => onChange(texts.length === 0 && schema.default === undefined ? null : [...texts])}
        />
      )
    case 'longText':
      return (
        <Input.TextArea
          id={id}
          value={text}
          status={status}
          disabled={isDisabled}
          autoSize={{ minRows: 3, maxRows: 14 }}
          spellCheck={false}
          onChange={(event) => changeText(event.target.value)}
        />
      )
    case 'text':
      return (
        <Input
          id={id}
          value={text}
          status={status}
          disabled={isDisabled}
          autoComplete="off"
          spellCheck={false}
          {...(maxLength === undefined ? {} : { maxLength })}
          onChange={(event) => changeText(event.target.value)}
        />
      )
    default:
      return (
        <JsonControl label={label} value={value} isDisabled={isDisabled} onChange={onChange} onUnparsed={onUnparsed} />
      )
  }
}
