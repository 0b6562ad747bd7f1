import { useInfiniteQuery } from '@tanstack/react-query'
import { AutoComplete, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { devicesQuery } from './devices.ts'

interface DeviceChoiceProps {
  /** The id of an installation; empty: none */
  readonly device: string
  onChange(device: string): void
}

/** Selects one device by its id: a recently active one, or a typed one. */
export function DeviceChoice({ device, onChange }: DeviceChoiceProps) {
  const { t } = useTranslation('push')
  const { ago } = useFormat()
  const list = useInfiniteQuery(devicesQuery(useApp(), { type: '', channel: '', id: '' }))
  const options = (list.data?.pages[0] ?? []).map(({ objectId, deviceType = '', updatedAt }) => ({
    value: objectId,
    label: [objectId, deviceType, ago(updatedAt)].filter(Boolean).join(' · '),
  }))
  return (
    <Form layout="vertical" component={false}>
      <ProblemNotice error={list.error} />
      <Form.Item label={t('target.device')} extra={t('target.deviceAbout')} htmlFor="push-device">
        <AutoComplete
          id="push-device"
          value={device}
          options={options}
          showSearch={{ filterOption: (typed, option) => String(option?.label).includes(typed) }}
          onChange={(typed: string) => onChange(typed.trim())}
        />
      </Form.Item>
    </Form>
  )
}
