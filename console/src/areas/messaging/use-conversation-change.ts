import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App as AntApp } from 'antd'
import { useApp } from '../../api/use-app.ts'

/** What changes something of a conversation: what is known of conversations is asked for again, and a problem is told. */
export function useConversationChange<Input = void>(change: (input: Input) => Promise<unknown>) {
  const { appId } = useApp()
  const { message } = AntApp.useApp()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['apps', appId, 'conversations'] }),
    onError: (error) => void message.error(error.message),
  })
}
