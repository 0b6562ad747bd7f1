import { Flex, Spin } from 'antd'

/** Stands in place of a page that is on its way. */
export function Loading() {
  return (
    <Flex justify="center" style={{ padding: 64 }}>
      <Spin />
    </Flex>
  )
}
