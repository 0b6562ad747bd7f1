import { useApp } from '../api/use-app.ts'
import { type MediaSource, mediaSource, ownPathOf } from './media-source.ts'

/** The location of a URL in stored data; on this server as a path on the console's own origin. */
export type ShownMedia =
  | { readonly from: 'here'; readonly src: string }
  | Exclude<MediaSource, { readonly from: 'here' }>

/** Returns a function that maps URLs of stored data to locations for images and audio. */
export function useShownMedia(): (url: unknown) => ShownMedia {
  const { appId, fileUrls } = useApp()
  return (url) => {
    const source = mediaSource(url, location.origin, fileUrls)
    return source.from === 'here' ? { from: 'here', src: ownPathOf(String(url), appId, fileUrls) } : source
  }
}
