import { useQuery } from '@tanstack/react-query'
import { Skeleton, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { RemoteMedia } from '../../parts/remote-media.tsx'
import { useApp } from '../../shell/use-app.ts'
import { addressOf, ownPath, shownAs } from './file-kind.ts'
import { FilePicture } from './file-picture.tsx'
import type { FileRecord } from './file-queries.ts'

/** Bytes of a text that are shown: its beginning is enough to know it again. */
const SHOWN_BYTES = 65_536

/** A file as what it is: picture, sound, film, the beginning of a text. What it holds is never part of the page. */
export function FilePreview({ file }: { readonly file: FileRecord }) {
  const { t } = useTranslation('files')
  const { appId } = useApp()
  const address = addressOf(appId, file)
  const own = ownPath(appId, file)
  const label = t('preview', { name: file.name ?? file.objectId })
  const kind = shownAs(file)
  if (address === null) return <FilePicture file={file} height={200} />
  if (kind === 'text' || kind === 'other' || own !== null) return <Content {...{ address, own, file, label }} />
  return (
    <RemoteMedia url={address}>
      <Content {...{ address, own, file, label }} />
    </RemoteMedia>
  )
}

interface ContentProps {
  readonly address: string
  /** Path on this server; null: the bytes are elsewhere */
  readonly own: string | null
  readonly file: FileRecord
  readonly label: string
}

function Content({ address, own, file, label }: ContentProps) {
  switch (shownAs(file)) {
    case 'picture':
    case 'drawing':
      return (
        <img
          src={address}
          alt={label}
          referrerPolicy="no-referrer"
          style={{ maxWidth: '100%', maxHeight: '60vh', objectFit: 'contain', alignSelf: 'center' }}
        />
      )
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: users' recordings come without captions
        <audio src={address} controls preload="metadata" aria-label={label} style={{ width: '100%' }} />
      )
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: users' films come without captions
        <video
          src={address}
          controls
          preload="metadata"
          aria-label={label}
          style={{ width: '100%', maxHeight: '60vh' }}
        />
      )
    case 'text':
      return own === null ? <FilePicture file={file} height={200} /> : <TextBeginning path={own} label={label} />
    case 'other':
      return <FilePicture file={file} height={200} />
  }
}

function TextBeginning({ path, label }: { readonly path: string; readonly label: string }) {
  const { t } = useTranslation('files')
  const { token } = theme.useToken()
  const { data, error } = useQuery({
    queryKey: ['file-text', path],
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await fetch(path, { headers: { range: `bytes=0-${SHOWN_BYTES - 1}` }, signal })
      // An empty file has no such range.
      if (answer.status === 416) return ''
      if (!answer.ok) throw new Error(t('unreadable'))
      return answer.text()
    },
  })
  if (error) return <Typography.Text type="danger">{error.message}</Typography.Text>
  if (data === undefined) return <Skeleton active />
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      style={{
        margin: 0,
        padding: 12,
        maxHeight: '50vh',
        overflow: 'auto',
        whiteSpace: 'pre-wrap',
        wordBreak: 'break-word',
        fontFamily: token.fontFamilyCode,
        fontSize: 13,
        background: token.colorFillQuaternary,
        borderRadius: token.borderRadius,
      }}
    >
      {data}
    </section>
  )
}
