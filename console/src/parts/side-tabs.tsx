import { Flex, Grid, Select, Tabs } from 'antd'
import type { ReactNode } from 'react'

interface SideTabsProps {
  /** The label of the choice, for screen readers. */
  readonly label: string
  readonly active: string
  readonly items: readonly { readonly key: string; readonly label: string; readonly content: ReactNode }[]
  onChange(key: string): void
  /** Where the tabs are if there is space; `start` by default. */
  readonly placement?: 'start' | 'top'
}

/** Many tabs: beside or above their content, or as a select when there is no space. */
export function SideTabs({ label, active, items, onChange, placement = 'start' }: SideTabsProps) {
  const isWide = Grid.useBreakpoint().md ?? true
  if (isWide)
    return (
      <Tabs
        tabPlacement={placement}
        destroyOnHidden
        activeKey={active}
        onChange={onChange}
        items={items.map((item) => ({ key: item.key, label: item.label, children: item.content }))}
      />
    )
  return (
    <Flex vertical gap={16} style={{ minWidth: 0 }}>
      <Select
        aria-label={label}
        size="large"
        value={active}
        onChange={onChange}
        options={items.map((item) => ({ value: item.key, label: item.label }))}
      />
      {items.find(({ key }) => key === active)?.content}
    </Flex>
  )
}
