import { useQuery } from '@tanstack/react-query'
import { Alert, Flex, Spin, Tag, Typography } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { audienceOf, type Draft } from './push-draft.ts'
import { audienceQuery } from './pushes.ts'
import { useUnreachableText } from './unreachable-text.ts'

/** Delay after the last change before counting, in milliseconds. */
const PAUSE = 400

/** The current number of devices matched by a draft. */
export function AudienceCount({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('push')
  const { appId } = useApp()
  const { number } = useFormat()
  const unreachableText = useUnreachableText()
  const current = JSON.stringify(audienceOf(draft))
  const [settled, setSettled] = useState(current)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(current), PAUSE)
    return () => clearTimeout(timer)
  }, [current])
  const audience = JSON.parse(settled) as ReturnType<typeof audienceOf>
  const isKnown = typeof audience !== 'string'
  const { data, error, isFetching } = useQuery({
    ...audienceQuery(appId, isKnown ? audience : { where: {} }),
    enabled: isKnown,
  })
  const why = data ? unreachableText(data) : null
  return (
    <Flex vertical gap={8} style={{ marginTop: 16 }}>
      <ProblemNotice error={isKnown ? error : null} />
      <Flex gap={8} wrap align="center" role="status">
        {isKnown && data && settled === current && (
          <>
            <Typography.Text strong>
              {t(data.isMore ? 'audience.more' : data.devices === 1 ? 'audience.one' : 'audience.count', {
                devices: number(data.devices),
              })}
            </Typography.Text>
            {Object.entries(data.byType).map(([type, count]) => (
              <Tag key={type}>{`${type || t('audience.noType')} ${number(count)}`}</Tag>
            ))}
          </>
        )}
        {isKnown && (isFetching || settled !== current) && <Spin size="small" />}
      </Flex>
      {isKnown && data && settled === current && why !== null && <Alert type="warning" showIcon title={why} />}
    </Flex>
  )
}
