import { useQuery } from '@tanstack/react-query'
import { Skeleton, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useShownMedia } from '../../parts/use-shown-media.ts'
import { ownPath, shownAs } from './file-kind.ts'
import { FilePicture } from './file-picture.tsx'
import type { FileRecord } from './file-queries.ts'

/** Maximum number of displayed bytes of a text file. */
const SHOWN_BYTES = 65_536

/**
 * Shows a file of this server by its kind: image, audio, video, the start of a text. Its content is never part of the page. A
 * file of another host can be opened by a button.
 */
export function FilePreview({ file }: { readonly file: FileRecord }) {
  const { t } = useTranslation('files')
  const { appId } = useApp()
  const shown = useShownMedia()
  const own = ownPath(appId, file)
  const label = t('preview', { name: file.name ?? file.objectId })
  if (own !== null) return <Content address={own} {...{ own, file, label }} />
  const media = shown(file.url)
  return media.from === 'here' ? (
    <Content address={media.src} {...{ own, file, label }} />
  ) : (
    <FilePicture file={file} height={200} />
  )
}

interface ContentProps {
  /** Path on this server */
  readonly address: string
  /** The path by the key of the file; null when its record has only a URL */
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
