import { useMutation, useQuery } from '@tanstack/react-query'
import { AutoComplete, Checkbox, Flex, Form, Input, Select, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { type ClassDescription, classNamesQuery } from '../../api/classes.ts'
import { ownMember } from '../../api/own-member.ts'
import { useApp } from '../../api/use-app.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { parseJson, Unparsed } from '../../parts/entry/parse-entry.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { changeClass } from './class-queries.ts'
import { OPTIONS, optionsOf } from './field-options.ts'

const TYPES = [
  'String',
  'Number',
  'Boolean',
  'Date',
  'Object',
  'Array',
  'Pointer',
  'Relation',
  'File',
  'GeoPoint',
  'Bytes',
  'Any',
] as const
type Option = (typeof OPTIONS)[number]

interface Declared {
  readonly name: string
  readonly type: string
  readonly className?: string
  readonly options: Option[]
  /** JSON, or plain text for a String */
  readonly default?: string
  readonly comment?: string
}

interface FieldDialogProps {
  readonly description: ClassDescription
  /** null: a new one */
  readonly name: string | null
  onClose(): void
}

/** Adds a field to a class, or changes its options. A type never changes. */
export function FieldDialog({ description, name, onClose }: FieldDialogProps) {
  const { t } = useTranslation('classes')
  const { appId } = useApp()
  const [form] = Form.useForm<Declared>()
  const type = Form.useWatch('type', form) ?? 'String'
  const classes = useQuery(classNamesQuery(appId))
  const field = name === null ? undefined : ownMember(description.fields, name)
  const keeping = useMutation({
    mutationFn: (declared: Declared) =>
      changeClass(appId, description.className, {
        fields: { [declared.name]: declarationOf(declared, field !== undefined) },
      }),
    onSuccess: onClose,
  })
  const offered = OPTIONS.filter((option) => isOffered(option, type, description.className))
  return (
    <Dialog
      open
      title={name === null ? t('field.add') : t('schema.changeOf', { name })}
      okText={name === null ? t('field.add') : t('field.keep')}
      okButtonProps={{ loading: keeping.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<Declared>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={(declared) => keeping.mutate(declared)}
        initialValues={{
          name: name ?? '',
          type: field?.type ?? 'String',
          className: field?.className,
          options: optionsOf(field),
          default: shownDefault(field?.default),
          comment: field?.comment,
        }}
      >
        <Form.Item
          name="name"
          label={t('schema.name')}
          extra={name === null ? t('field.nameRule') : undefined}
          rules={[{ pattern: /^[A-Za-z0-9_]{1,128}$/, required: true, message: t('field.nameRule') }]}
        >
          <Input disabled={name !== null} autoFocus={name === null} autoComplete="off" spellCheck={false} />
        </Form.Item>
        <Form.Item name="type" label={t('schema.type')} extra={t('field.typeRule')}>
          <Select disabled={name !== null} options={TYPES.map((value) => ({ value, label: value }))} />
        </Form.Item>
        {(type === 'Pointer' || type === 'Relation') && (
          <Form.Item
            name="className"
            label={t('field.target')}
            rules={[{ required: true, message: t('field.targetNeeded') }]}
          >
            <AutoComplete
              disabled={name !== null}
              options={(classes.data ?? []).map((value) => ({ value }))}
              showSearch={{ filterOption: true }}
            />
          </Form.Item>
        )}
        <Form.Item name="options" label={t('schema.options')}>
          <Checkbox.Group style={{ width: '100%' }}>
            <Flex vertical gap={8}>
              {offered.map((option) => (
                <Checkbox key={option} value={option}>
                  {t(`option.${option}.name`)}
                  <Typography.Text type="secondary" style={{ display: 'block', fontSize: 13 }}>
                    {t(`option.${option}.about`)}
                  </Typography.Text>
                </Checkbox>
              ))}
            </Flex>
          </Checkbox.Group>
        </Form.Item>
        {type !== 'Relation' && (
          <Form.Item
            name="default"
            label={t('field.default')}
            extra={t('field.defaultAbout')}
            rules={[{ validator: (_, text?: string) => checkDefault(type, text, t('field.defaultRule')) }]}
          >
            <Input autoComplete="off" spellCheck={false} placeholder={EXAMPLES[type]} />
          </Form.Item>
        )}
        <Form.Item name="comment" label={t('field.comment')}>
          <Input maxLength={1000} autoComplete="off" />
        </Form.Item>
        <ProblemNotice error={keeping.error} />
      </Form>
    </Dialog>
  )
}

const EXAMPLES: { readonly [type: string]: string } = {
  Number: '0',
  Boolean: 'false',
  Object: '{}',
  Array: '[]',
  Date: '{"__type":"Date","iso":"2026-01-01T00:00:00.000Z"}',
  GeoPoint: '{"__type":"GeoPoint","latitude":39.9,"longitude":116.4}',
}

function isOffered(option: Option, type: string, className: string): boolean {
  if (option === 'userPrivate') return className === '_User'
  if (option === 'autoIncrement') return type === 'Number'
  return type !== 'Relation' || option === 'hidden' || option === 'hiddenInResults'
}

/** Returns a String's default unchanged, and other types as JSON. */
function shownDefault(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

async function checkDefault(type: string, text: string | undefined, rule: string): Promise<void> {
  if (text && type !== 'String' && parseJson(text) instanceof Unparsed) throw new Error(rule)
}

function declarationOf({ type, className, options = [], default: text, comment }: Declared, exists: boolean): object {
  const value = !text ? null : type === 'String' ? text : (JSON.parse(text) as unknown)
  return {
    ...(exists ? {} : { type, ...(className === undefined ? {} : { className }) }),
    ...Object.fromEntries(
      OPTIONS.filter((option) => option !== 'hiddenInResults').map((option) => [option, options.includes(option)]),
    ),
    hidden: options.includes('hidden') || (options.includes('hiddenInResults') && 'results'),
    ...(type === 'Relation' ? {} : { default: value }),
    comment: comment ?? '',
  }
}
