import { Flex, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DraftFieldsProps } from './draft-field.ts'

/** When a push is sent, until when it is of interest, and by which environment of Apple. */
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
              value={draft[name]}
              onChange={(event) => onChange({ [name]: event.target.value })}
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
