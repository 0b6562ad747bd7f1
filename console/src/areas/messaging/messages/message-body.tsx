import { EnvironmentOutlined, FileOutlined } from '@ant-design/icons'
import { Flex, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import { StoredLink } from '../../../parts/outside-link.tsx'
import { RemoteMedia } from '../../../parts/remote-media.tsx'
import { type Content, contentOf } from './message-content.ts'

interface MessageBodyProps {
  readonly content: string
  /** Whether the content is base64. */
  readonly binary: boolean
}

/** A message displayed by its type: text, image, audio, video, location, file; others as sent. */
export function MessageBody({ content, binary }: MessageBodyProps) {
  const { t } = useTranslation('messaging')
  const { token } = theme.useToken()
  const { bytes } = useFormat()
  const found = contentOf(content, binary)
  switch (found.kind) {
    case 'text':
      return <Words text={found.text} />
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return <Attachment {...found} />
    case 'location':
      return (
        <Flex vertical>
          <Flex gap={6}>
            <EnvironmentOutlined aria-hidden />
            <Typography.Text>
              {t('content.location', { latitude: found.latitude, longitude: found.longitude })}
            </Typography.Text>
          </Flex>
          <Words text={found.text} />
        </Flex>
      )
    case 'json':
      return (
        <Flex vertical gap={4}>
          <Typography.Text type="secondary">
            {found.type === null ? t('content.json') : t('content.custom', { type: found.type })}
          </Typography.Text>
          <pre
            style={{
              margin: 0,
              padding: 8,
              maxHeight: 240,
              overflow: 'auto',
              whiteSpace: 'pre-wrap',
              overflowWrap: 'anywhere',
              background: token.colorFillTertiary,
              borderRadius: token.borderRadius,
            }}
          >
            {found.json}
          </pre>
        </Flex>
      )
    case 'binary':
      return <Typography.Text type="secondary">{t('content.binary', { size: bytes(found.bytes) })}</Typography.Text>
  }
}

function Words({ text }: { readonly text: string }) {
  if (text === '') return null
  return <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</div>
}

type AttachmentProps = Extract<Content, { kind: 'image' | 'audio' | 'video' | 'file' }>

function Attachment({ kind, url, name, size, text }: AttachmentProps) {
  const { t } = useTranslation('messaging')
  const { bytes } = useFormat()
  const label = name || t(`content.${kind}`)
  return (
    <Flex vertical gap={4} align="start">
      {url !== null && kind === 'image' && (
        <RemoteMedia url={url}>
          {(src) => (
            <img src={src} alt={label} loading="lazy" style={{ maxWidth: 'min(320px, 100%)', maxHeight: 240 }} />
          )}
        </RemoteMedia>
      )}
      {url !== null && kind === 'audio' && (
        <RemoteMedia url={url}>
          {(src) => (
            // biome-ignore lint/a11y/useMediaCaption: what people say to each other comes without captions
            <audio src={src} controls preload="none" aria-label={label} />
          )}
        </RemoteMedia>
      )}
      {url !== null && kind === 'video' && (
        <RemoteMedia url={url}>
          {(src) => (
            // biome-ignore lint/a11y/useMediaCaption: what people send each other comes without captions
            <video src={src} controls preload="none" aria-label={label} style={{ maxWidth: 'min(320px, 100%)' }} />
          )}
        </RemoteMedia>
      )}
      <Flex gap={6} wrap>
        <FileOutlined aria-hidden />
        <StoredLink url={url} text={label} />
        {size !== null && <Typography.Text type="secondary">{bytes(size)}</Typography.Text>}
      </Flex>
      <Words text={text} />
    </Flex>
  )
}
