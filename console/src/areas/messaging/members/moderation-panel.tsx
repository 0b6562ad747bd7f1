import { Flex } from 'antd'
import type { Conversation } from '../conversations.ts'
import { BlocksCard } from './blocks-card.tsx'
import { SilencesCard } from './silences-card.tsx'

/** Who may not speak in a conversation, and who is kept out of it. */
export function ModerationPanel({ conversation }: { readonly conversation: Conversation }) {
  return (
    <Flex wrap gap={16} align="start">
      {conversation.kind !== 'system' && <SilencesCard conversation={conversation} />}
      <BlocksCard conversation={conversation} />
    </Flex>
  )
}
