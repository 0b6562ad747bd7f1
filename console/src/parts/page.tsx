import { Flex, Typography } from 'antd'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** The actions beside the title. */
  readonly actions?: ReactNode
  /** One or two sentences below the title. */
  readonly about?: ReactNode
  readonly children?: ReactNode
}

/** A page with its title, which is also shown in the browser's tab. */
export function Page({ title, actions, about, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Homeport`
  }, [title])
  return (
    <Flex vertical gap={16} style={{ minWidth: 0, flex: 1 }}>
      <Flex wrap align="center" justify="space-between" gap={12}>
        <div>
          <Typography.Title level={1} style={{ fontSize: 22, margin: 0 }}>
            {title}
          </Typography.Title>
          {about !== undefined && (
            <Typography.Paragraph type="secondary" style={{ margin: '4px 0 0', maxWidth: 760 }}>
              {about}
            </Typography.Paragraph>
          )}
        </div>
        {actions !== undefined && (
          <Flex wrap gap={8}>
            {actions}
          </Flex>
        )}
      </Flex>
      {children}
    </Flex>
  )
}
