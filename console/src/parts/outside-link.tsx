import { ExportOutlined } from '@ant-design/icons'
import { Button, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useShownMedia } from './use-shown-media.ts'

/** The opened page gets neither a handle of the console's window nor the address of the console. */
export const APART = { target: '_blank', rel: 'noopener noreferrer' } as const

/** Opens a URL of another host in a tab of its own, and names the host. */
export function OutsideButton({ url, host }: { readonly url: string; readonly host: string }) {
  const { t } = useTranslation('parts')
  return (
    <Button
      size="small"
      icon={<ExportOutlined aria-hidden />}
      style={{ maxWidth: '100%', overflow: 'hidden' }}
      href={url}
      {...APART}
    >
      {t('outside', { host })}
    </Button>
  )
}

interface StoredLinkProps {
  /** Any value: clients wrote it. */
  readonly url: unknown
  readonly text: string
}

/**
 * Links to a file that stored data names. A link that leaves this server names its host, since its text is as the client
 * chose it; a URL that no file can have is shown as the text alone.
 */
export function StoredLink({ url, text }: StoredLinkProps) {
  const media = useShownMedia()(url)
  if (media.from === 'nowhere') return <span>{text}</span>
  return (
    <span>
      <a href={media.from === 'here' ? media.src : (url as string)} {...APART}>
        {text}
      </a>
      {media.from === 'elsewhere' && <Typography.Text type="secondary">{` (${media.host})`}</Typography.Text>}
    </span>
  )
}
