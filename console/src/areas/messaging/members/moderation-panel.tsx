import { Flex } from 'antd'
import type { Conversation } from '../conversations.ts'
import { BlocksCard } from './blocks-card.tsx'
import { SilencesCard } from './silences-card.tsx'

/** The silenced and blocked clients of a conversation. */
export function ModerationPanel({ conversation }: { readonly conversation: Conversation }) {
  return (
    <Flex wrap gap={16} align="start">
      {conversation.kind !== 'system' && <SilencesCard conversation={conversation} />}
      <BlocksCard conversation={conversation} />
    </Flex>
  )
}
