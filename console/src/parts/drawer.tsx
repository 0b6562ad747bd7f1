import { Drawer as AntDrawer, type DrawerProps } from 'antd'
import { Boundary } from './boundary.tsx'

/** An antd drawer whose content cannot break the page. */
export function Drawer({ children, ...props }: DrawerProps) {
  return (
    <AntDrawer {...props}>
      <Boundary>{children}</Boundary>
    </AntDrawer>
  )
}
