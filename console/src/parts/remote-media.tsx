import { EyeOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../shell/use-app.ts'
import { type MediaSource, mediaSource } from './media-source.ts'

/** Returns from where the browser would load pictures and sounds of stored data that is shown on pages of an app. */
export function useMediaSource(): (url: unknown) => MediaSource {
  const { fileUrls } = useApp()
  return (url) => mediaSource(url, location.origin, fileUrls)
}

interface RemoteMediaProps {
  readonly url: string
  readonly children: ReactNode
}

/**
 * Shows pictures, sounds and films of this server at once, and those of other hosts after a click on a button that names
 * the host: a request to it tells it the administrator's address, and that the administrator looks at this data.
 */
export function RemoteMedia({ url, children }: RemoteMediaProps) {
  const { t } = useTranslation('parts')
  const source = useMediaSource()(url)
  /** The URL that was agreed to: another one needs a click of its own. */
  const [agreed, setAgreed] = useState<string | null>(null)
  if (source.from === 'nowhere') return null
  if (source.from !== 'elsewhere' || agreed === url) return children
  return (
    <Button
      size="small"
      icon={<EyeOutlined aria-hidden />}
      style={{ maxWidth: '100%', overflow: 'hidden' }}
      onClick={() => setAgreed(url)}
    >
      {t('remote', { host: source.host })}
    </Button>
  )
}
