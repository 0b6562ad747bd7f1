import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons'
import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'

/** The fields of an index in order, each with its direction if any. */
export function IndexKeys({
  keys,
  isSorted = true,
}: {
  readonly keys: readonly string[]
  readonly isSorted?: boolean
}) {
  const { t } = useTranslation('classes')
  return (
    <Flex wrap gap={4}>
      {keys.map((key) => {
        const isDescending = key.startsWith('-')
        return (
          <Typography.Text code key={key}>
            {isDescending ? key.slice(1) : key}{' '}
            {isSorted &&
              (isDescending ? (
                <ArrowDownOutlined aria-label={t('indexes.descending')} />
              ) : (
                <ArrowUpOutlined aria-label={t('indexes.ascending')} />
              ))}
          </Typography.Text>
        )
      })}
    </Flex>
  )
}
