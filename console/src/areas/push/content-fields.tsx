import { AutoComplete, Flex, Form, Input, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { JsonEditor } from '../../parts/json-editor.tsx'
import type { DraftFieldsProps } from './draft-field.ts'
import { BADGE, dataOf } from './push-draft.ts'

/** The content of a push: a text with its options, or JSON. */
export function ContentFields({ draft, onChange }: DraftFieldsProps) {
  const { t } = useTranslation('push')
  const choose = (form: 'fields' | 'json') => {
    const data = dataOf(draft)
    // The content of the fields is kept as JSON.
    const isMade = form === 'json' && typeof data !== 'string'
    onChange({ form, ...(isMade && { json: JSON.stringify(data, null, 2) }) })
  }
  return (
    <Form layout="vertical" component={false}>
      <Flex style={{ marginBottom: 16 }}>
        <Segmented
          aria-label={t('content.form')}
          value={draft.form}
          onChange={choose}
          options={(['fields', 'json'] as const).map((value) => ({ value, label: t(`content.forms.${value}`) }))}
        />
      </Flex>
      {draft.form === 'json' ? (
        <JsonEditor label={t('content.json')} value={draft.json} onChange={(json) => onChange({ json })} />
      ) : (
        <>
          <Form.Item label={t('content.title')} htmlFor="push-title">
            <Input
              id="push-title"
              value={draft.title}
              autoComplete="off"
              onChange={(event) => onChange({ title: event.target.value })}
            />
          </Form.Item>
          <Form.Item label={t('content.alert')} htmlFor="push-alert" required>
            <Input.TextArea
              id="push-alert"
              value={draft.alert}
              autoSize={{ minRows: 2, maxRows: 6 }}
              onChange={(event) => onChange({ alert: event.target.value })}
            />
          </Form.Item>
          <Flex wrap gap={16}>
            <Form.Item
              label={t('content.badge')}
              htmlFor="push-badge"
              style={{ width: 200 }}
              {...(!BADGE.test(draft.badge) && { validateStatus: 'error' as const, help: t('faults.badge') })}
            >
              <AutoComplete
                id="push-badge"
                value={draft.badge}
                options={[{ value: 'Increment', label: t('content.increment') }]}
                status={BADGE.test(draft.badge) ? '' : 'error'}
                onChange={(badge: string) => onChange({ badge })}
              />
            </Form.Item>
            <Form.Item label={t('content.sound')} htmlFor="push-sound" style={{ width: 240 }}>
              <Input
                id="push-sound"
                value={draft.sound}
                autoComplete="off"
                onChange={(event) => onChange({ sound: event.target.value })}
              />
            </Form.Item>
          </Flex>
          <Form.Item label={t('content.custom')}>
            <JsonEditor
              height="110px"
              label={t('content.custom')}
              value={draft.custom}
              onChange={(custom) => onChange({ custom })}
            />
          </Form.Item>
        </>
      )}
    </Form>
  )
}
