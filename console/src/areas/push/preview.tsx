import { BellOutlined } from '@ant-design/icons'
import { Flex, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { type Draft, dataOf, requestOf } from './push-draft.ts'

type Json = { readonly [name: string]: unknown }

/** An approximate preview of a push, and its request. */
export function Preview({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('push')
  const data = dataOf(draft)
  const request = requestOf(draft)
  return (
    <Flex vertical gap={16}>
      {(['ios', 'android'] as const).map((platform) => (
        <Flex key={platform} vertical gap={6}>
          <Typography.Text type="secondary">{t(`target.${platform}`)}</Typography.Text>
          <Notification {...shownOn(platform, typeof data === 'string' ? {} : data)} />
        </Flex>
      ))}
      {'body' in request && (
        <Flex vertical gap={6}>
          <Typography.Text type="secondary">{t('preview.request')}</Typography.Text>
          <JsonEditor
            readOnly
            height="220px"
            label={t('preview.request')}
            value={JSON.stringify(request.body, null, 2)}
          />
        </Flex>
      )}
    </Flex>
  )
}

function Notification({ title, alert }: { readonly title: string; readonly alert: string }) {
  const { t } = useTranslation('push')
  const { token } = theme.useToken()
  const { name } = useApp()
  return (
    <Flex
      gap={12}
      style={{ padding: 12, borderRadius: 16, background: token.colorFillTertiary, overflowWrap: 'anywhere' }}
    >
      <BellOutlined aria-hidden style={{ fontSize: 20, marginTop: 2 }} />
      <Flex vertical style={{ minWidth: 0 }}>
        <Typography.Text strong>{title || name}</Typography.Text>
        <Typography.Text {...(alert === '' && { type: 'secondary' })}>{alert || t('preview.silent')}</Typography.Text>
      </Flex>
    </Flex>
  )
}

/** Returns the visible text on a platform, whose own content overrides the common content. */
function shownOn(platform: 'ios' | 'android', data: Json): { title: string; alert: string } {
  const own = data[platform]
  const { title, alert } = { ...data, ...(typeof own === 'object' && own !== null ? (own as Json) : {}) } as Json
  const object = typeof alert === 'object' && alert !== null ? (alert as Json) : {}
  return { title: textOf(object.title ?? title), alert: textOf(object.body ?? alert) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
