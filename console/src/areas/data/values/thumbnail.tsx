import { type ReactNode, useState } from 'react'
import { type FileValue, webUrl } from './typed-value.ts'

const PICTURES = /\.(avif|bmp|gif|ico|jpe?g|png|svg|webp)$/i

interface ThumbnailProps {
  readonly file: FileValue
  /** Pixels */
  readonly size: number
  readonly fallback: ReactNode
}

/** A file as a small picture, if it is one. */
export function Thumbnail({ file, size, fallback }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false)
  const url = webUrl(file.url)
  const isPicture = url !== null && (PICTURES.test(file.name ?? '') || PICTURES.test(url))
  if (!isPicture || isBroken) return fallback
  return (
    <img
      src={url}
      alt=""
      loading="lazy"
      width={size}
      height={size}
      style={{ objectFit: 'cover', borderRadius: 4, verticalAlign: 'middle' }}
      onError={() => setIsBroken(true)}
    />
  )
}
