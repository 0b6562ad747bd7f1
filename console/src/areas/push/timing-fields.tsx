import { Flex, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DraftFieldsProps } from './draft-field.ts'
import { INCOMPLETE_TIME } from './push-draft.ts'

/** The time of a push, its expiry, and Apple's environment. */
export function TimingFields({ draft, onChange }: DraftFieldsProps) {
  const { t } = useTranslation('push')
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Form layout="vertical" component={false}>
      <Flex wrap gap={16}>
        {(['pushAt', 'expiresAt'] as const).map((name) => (
          <Form.Item
            key={name}
            label={t(`timing.${name}`)}
            extra={t(`timing.${name}About`, { zone })}
            htmlFor={`push-${name}`}
            style={{ width: 220 }}
          >
            <Input
              id={`push-${name}`}
              type="datetime-local"
              value={draft[name] === INCOMPLETE_TIME ? '' : draft[name]}
              status={draft[name] === INCOMPLETE_TIME ? 'error' : ''}
              onChange={(event) => onChange({ [name]: textIn(event.target) })}
              // Changing part of an incomplete time fires no event of the input.
              onKeyUp={(event) => {
                const text = textIn(event.currentTarget)
                if (text !== draft[name]) onChange({ [name]: text })
              }}
            />
          </Form.Item>
        ))}
        <Form.Item
          label={t('environment.title')}
          extra={t('environment.about')}
          htmlFor="push-environment"
          style={{ width: 220 }}
        >
          <Select
            id="push-environment"
            value={draft.environment}
            options={(['prod', 'dev'] as const).map((value) => ({ value, label: t(`environment.${value}`) }))}
            onChange={(environment) => onChange({ environment })}
          />
        </Form.Item>
      </Flex>
    </Form>
  )
}

function textIn({ value, validity }: HTMLInputElement): string {
  return value === '' && validity.badInput ? INCOMPLETE_TIME : value
}
