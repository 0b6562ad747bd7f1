import { useApp } from '../api/use-app.ts'
import { type MediaSource, mediaSource, ownPathOf } from './media-source.ts'

/** Where the console shows what stored data names by a URL; of this server as a path on the console's own origin. */
export type ShownMedia =
  | { readonly from: 'here'; readonly src: string }
  | Exclude<MediaSource, { readonly from: 'here' }>

/** Returns where a page of an app shows pictures and sounds of stored data. */
export function useShownMedia(): (url: unknown) => ShownMedia {
  const { appId, fileUrls } = useApp()
  return (url) => {
    const source = mediaSource(url, location.origin, fileUrls)
    return source.from === 'here' ? { from: 'here', src: ownPathOf(String(url), appId, fileUrls) } : source
  }
}
