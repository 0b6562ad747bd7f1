import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import type { ReactNode } from 'react'
import { download } from '../api/request.ts'

interface DownloadButtonProps {
  /** Path below `/admin`, encoded. */
  readonly path: string
  readonly query?: { readonly [name: string]: unknown }
  readonly children: ReactNode
}

/** Downloads a path of the management API. */
export function DownloadButton({ path, query, children }: DownloadButtonProps) {
  const { message } = App.useApp()
  const begin = useMutation({
    mutationFn: () => download(path, query),
    onError: (error) => void message.error(error.message),
  })
  return (
    <Button icon={<DownloadOutlined />} loading={begin.isPending} onClick={() => begin.mutate()}>
      {children}
    </Button>
  )
}
