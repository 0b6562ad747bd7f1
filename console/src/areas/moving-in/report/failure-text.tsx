import { Typography } from 'antd'
import type { Notice } from '../../../../../src/notices/notice.ts'
import { PhraseText } from './lines.tsx'
import { useNotices } from './use-notices.ts'

/** The reason why a command failed. */
export function FailureText({ failure }: { readonly failure: Notice }) {
  const filledIn = useNotices()
  return (
    <Typography.Paragraph style={{ margin: 0, overflowWrap: 'anywhere' }}>
      <PhraseText phrase={filledIn(failure)} />
    </Typography.Paragraph>
  )
}
