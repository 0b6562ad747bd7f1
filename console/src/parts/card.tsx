import { Card as AntCard, type CardProps } from 'antd'
import { Boundary } from './boundary.tsx'

/** An antd card whose content cannot break the page. */
export function Card({ children, ...props }: CardProps) {
  return (
    <AntCard {...props}>
      <Boundary>{children}</Boundary>
    </AntCard>
  )
}
