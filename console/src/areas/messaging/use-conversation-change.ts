import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App as AntApp } from 'antd'
import { useApp } from '../../api/use-app.ts'

/** Returns a mutation of a conversation that reloads conversations and reports errors. */
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
