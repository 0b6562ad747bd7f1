import type { ReactNode } from 'react'
import { OutsideButton } from './outside-link.tsx'
import { useShownMedia } from './use-shown-media.ts'

interface RemoteMediaProps {
  readonly url: string
  /** @param src path on the console's own origin */
  children(src: string): ReactNode
}

/**
 * Shows images, audio and video of this server. Those of other hosts open in a separate tab, after a click on a link that names
 * the host: a request would reveal the administrator's address, and the console's content policy allows none.
 */
export function RemoteMedia({ url, children }: RemoteMediaProps) {
  const media = useShownMedia()(url)
  if (media.from === 'here') return children(media.src)
  return media.from === 'nowhere' ? null : <OutsideButton url={url} host={media.host} />
}
