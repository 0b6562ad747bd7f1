import {
  AudioOutlined,
  FileImageOutlined,
  FileOutlined,
  FileTextOutlined,
  VideoCameraOutlined,
} from '@ant-design/icons'
import { Flex, theme } from 'antd'
import { useState } from 'react'
import { useMediaSource } from '../../parts/remote-media.tsx'
import { useApp } from '../../shell/use-app.ts'
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

/** Pixels that the server makes of a picture: twice what is shown, for fine screens. */
const MADE = 360

/** A small picture of a file, or a sign of its kind. */
export function FilePicture({ file, height = 140 }: { readonly file: FileRecord; readonly height?: number }) {
  const { token } = theme.useToken()
  const { appId } = useApp()
  const sourceOf = useMediaSource()
  const [isBroken, setIsBroken] = useState(false)
  const made = thumbnailOf(appId, file, MADE)
  const isHere = made !== null && (made.startsWith('/') || sourceOf(made).from === 'here')
  // A picture of another host is shown where there is room to ask (`file-preview.tsx`).
  const thumbnail = isBroken || !isHere ? null : made
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
