import { ExportOutlined } from '@ant-design/icons'
import { Button, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useShownMedia } from './use-shown-media.ts'

/** The opened page gets neither a handle of the console's window nor the URL of the console. */
export const APART = { target: '_blank', rel: 'noopener noreferrer' } as const

/** Opens a URL of another host in a separate tab, and names the host. */
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
  /** Any value: written by clients. */
  readonly url: unknown
  readonly text: string
}

/**
 * A link to a file named in stored data. A link to another server names its host, because the client chose its text; a URL that
 * is not a file is shown as text.
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
