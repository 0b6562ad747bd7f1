import { type ReactNode, useState } from 'react'
import { RemoteMedia } from '../../../parts/remote-media.tsx'
import { useShownMedia } from '../../../parts/use-shown-media.ts'
import { type FileValue, webUrl } from './typed-value.ts'

const PICTURES = /\.(avif|bmp|gif|ico|jpe?g|png|svg|webp)$/i

interface ThumbnailProps {
  readonly file: FileValue
  /** Pixels */
  readonly size: number
  readonly fallback: ReactNode
  /** Whether there is space for the button that opens an image of another host; otherwise the fallback is shown. */
  readonly canLoad?: boolean
}

/** A file as a small image, if it is an image. */
export function Thumbnail({ file, size, fallback, canLoad = false }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false)
  const shown = useShownMedia()
  const url = webUrl(file.url)
  const isPicture = url !== null && ((typeof file.name === 'string' && PICTURES.test(file.name)) || PICTURES.test(url))
  if (!isPicture || isBroken) return fallback
  const { from } = shown(url)
  if (from === 'nowhere' || (from === 'elsewhere' && !canLoad)) return fallback
  return (
    <RemoteMedia url={url}>
      {(src) => (
        <img
          src={src}
          alt=""
          loading="lazy"
          width={size}
          height={size}
          style={{ objectFit: 'cover', borderRadius: 4, verticalAlign: 'middle' }}
          onError={() => setIsBroken(true)}
        />
      )}
    </RemoteMedia>
  )
}
