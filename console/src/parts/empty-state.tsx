import { Empty, Flex, Typography } from 'antd'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly title: string
  /** A description of the content and its source. */
  readonly children?: ReactNode
  /** The first step. */
  readonly action?: ReactNode
}

/** Replaces an empty list, and explains the next steps. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Empty
      image={Empty.PRESENTED_IMAGE_SIMPLE}
      styles={{ root: { padding: '40px 16px' } }}
      description={
        <Flex vertical align="center" gap={8}>
          <Typography.Text strong>{title}</Typography.Text>
          {children !== undefined && (
            <Typography.Text type="secondary" style={{ maxWidth: 520 }}>
              {children}
            </Typography.Text>
          )}
        </Flex>
      }
    >
      {action}
    </Empty>
  )
}
