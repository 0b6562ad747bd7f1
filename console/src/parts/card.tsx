import { Card as AntCard, type CardProps } from 'antd'
import { Boundary } from './boundary.tsx'

/** A card of antd whose content cannot break the page. */
export function Card({ children, ...props }: CardProps) {
  return (
    <AntCard {...props}>
      <Boundary>{children}</Boundary>
    </AntCard>
  )
}
