import { PlayCircleOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { CodeCard } from './code-card.tsx'
import type { ServerAddress } from './snippets/snippet.ts'

interface Answer {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

const PATH = '/1.1/classes/_Role?limit=1&keys=objectId'

/** Sends a request as a client of the app does, with its key and without the session of the console. */
export function TryIt({ server }: { readonly server: ServerAddress }) {
  const { t } = useTranslation('connect')
  const format = useFormat()
  const trying = useMutation({ mutationFn: () => request(server) })
  const answer = trying.data
  return (
    <Card size="small">
      <Flex wrap gap={12} align="center">
        <Button icon={<PlayCircleOutlined />} loading={trying.isPending} onClick={() => trying.mutate()}>
          {t('try.button')}
        </Button>
        <Typography.Text type="secondary" style={{ flex: '1 1 240px' }}>
          {t('try.about')} <Typography.Text code>{`GET ${PATH}`}</Typography.Text>
        </Typography.Text>
      </Flex>
      <ProblemNotice error={trying.error} />
      {answer && (
        <Flex vertical gap={8} style={{ marginTop: 12 }} role="status">
          <Flex gap={8} align="center">
            <Tag color={answer.status < 400 ? 'success' : 'error'}>{answer.status}</Tag>
            <Typography.Text>
              {t(answer.status < 400 ? 'try.works' : 'try.refused', { time: format.duration(answer.milliseconds) })}
            </Typography.Text>
          </Flex>
          <CodeCard snippet={{ label: 'JSON', code: answer.text }} />
        </Flex>
      )}
    </Card>
  )
}

async function request({ appId, appKey }: ServerAddress): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(PATH, {
    headers: { 'x-lc-id': appId, 'x-lc-key': appKey },
    credentials: 'omit',
  })
  const text = await response.text()
  return { status: response.status, text: text.slice(0, 5000), milliseconds: performance.now() - began }
}
