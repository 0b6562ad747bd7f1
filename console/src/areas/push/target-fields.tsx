import { Checkbox, Flex, Form, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { ConditionRows } from './condition-rows.tsx'
import { DeviceChoice } from './device-choice.tsx'
import type { DraftFieldsProps } from './draft-field.ts'
import { TARGETS } from './push-draft.ts'

const PLATFORMS = ['ios', 'android'] as const

/** The devices of a push. */
export function TargetFields({ draft, onChange }: DraftFieldsProps) {
  const { t } = useTranslation('push')
  return (
    <Flex vertical gap={16}>
      <div style={{ overflowX: 'auto' }}>
        <Segmented
          aria-label={t('compose.target')}
          value={draft.target}
          onChange={(target) => onChange({ target })}
          options={TARGETS.map((value) => ({ value, label: t(`targets.${value}`) }))}
        />
      </div>
      {draft.target === 'channels' && (
        <Form layout="vertical" component={false}>
          <Form.Item label={t('target.channels')} extra={t('target.channelsAbout')} htmlFor="push-channels">
            <Select
              id="push-channels"
              mode="tags"
              open={false}
              suffixIcon={null}
              tokenSeparators={[',', '\n']}
              value={[...draft.channels]}
              onChange={(channels: string[]) => onChange({ channels })}
            />
          </Form.Item>
        </Form>
      )}
      {draft.target === 'conditions' && (
        <ConditionRows conditions={draft.conditions} onChange={(conditions) => onChange({ conditions })} />
      )}
      {draft.target === 'where' && (
        <JsonEditor
          height="140px"
          label={t('targets.where')}
          value={draft.where}
          onChange={(where) => onChange({ where })}
        />
      )}
      {draft.target === 'device' && <DeviceChoice device={draft.device} onChange={(device) => onChange({ device })} />}
      {draft.target !== 'device' && (
        <Checkbox.Group
          aria-label={t('target.platforms')}
          // An empty selection means all.
          value={draft.platforms.length === 0 ? [...PLATFORMS] : [...draft.platforms]}
          options={PLATFORMS.map((value) => ({ value, label: t(`target.${value}`) }))}
          onChange={(chosen) =>
            onChange({ platforms: chosen.length === PLATFORMS.length ? [] : (chosen as (typeof PLATFORMS)[number][]) })
          }
        />
      )}
    </Flex>
  )
}
