import {
  AudioOutlined,
  FileImageOutlined,
  FileOutlined,
  FileTextOutlined,
  VideoCameraOutlined,
} from '@ant-design/icons'
import { Flex, theme } from 'antd'
import { useState } from 'react'
import { useApp } from '../../api/use-app.ts'
import { type ShownMedia, useShownMedia } from '../../parts/use-shown-media.ts'
import { shownAs, thumbnailOf } from './file-kind.ts'
import type { FileRecord } from './file-queries.ts'

const ICONS = {
  picture: FileImageOutlined,
  drawing: FileImageOutlined,
  audio: AudioOutlined,
  video: VideoCameraOutlined,
  text: FileTextOutlined,
  other: FileOutlined,
} as const

/** Size of the thumbnail in pixels: twice the displayed size, for high-resolution screens. */
const MADE = 360

/** A thumbnail of a file, or an icon of its kind. */
export function FilePicture({ file, height = 140 }: { readonly file: FileRecord; readonly height?: number }) {
  const { token } = theme.useToken()
  const { appId } = useApp()
  const shown = useShownMedia()
  const [isBroken, setIsBroken] = useState(false)
  const made = thumbnailOf(appId, file, MADE)
  const thumbnail = isBroken ? null : made?.startsWith('/') ? made : srcOf(shown(made))
  const Icon = ICONS[shownAs(file)]
  return (
    <Flex align="center" justify="center" style={{ height, background: token.colorFillQuaternary, overflow: 'hidden' }}>
      {thumbnail === null ? (
        <Icon aria-hidden style={{ fontSize: 40, color: token.colorTextTertiary }} />
      ) : (
        <img
          src={thumbnail}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          style={{ width: '100%', height: '100%', objectFit: shownAs(file) === 'drawing' ? 'contain' : 'cover' }}
          onError={() => setIsBroken(true)}
        />
      )}
    </Flex>
  )
}

/** Returns the source of an image on this server; images of other hosts are not loaded. */
function srcOf(media: ShownMedia): string | null {
  return media.from === 'here' ? media.src : null
}
