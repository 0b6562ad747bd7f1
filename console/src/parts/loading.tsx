import { Flex, Spin } from 'antd'

/** Replaces a page while it is loading. */
export function Loading() {
  return (
    <Flex justify="center" style={{ padding: 64 }}>
      <Spin />
    </Flex>
  )
}
