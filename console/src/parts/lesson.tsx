import { Empty, Flex, Typography } from 'antd'
import type { ReactNode } from 'react'

interface LessonProps {
  readonly title: string
  /** What belongs here and how it comes here. */
  readonly children?: ReactNode
  /** The first step. */
  readonly action?: ReactNode
}

/** Stands where there is nothing yet, and teaches what will be. */
export function Lesson({ title, children, action }: LessonProps) {
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
