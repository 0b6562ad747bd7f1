import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Flex, Grid } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { Page } from '../../parts/page.tsx'
import { ClassChoice } from './classes/class-choice.tsx'
import { ClassList } from './classes/class-list.tsx'

/** The classes of an app beside the rows of one of them; above them on narrow screens. */
export function DataPage() {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const { className } = useParams({ strict: false }) as { className?: string }
  const isWide = Grid.useBreakpoint().md ?? true
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({ to: '/apps/$appId/data/$className', params: { appId, className: chosen } })
  return (
    <Page title={className ?? t('title')}>
      <Flex vertical={!isWide} gap={16} style={{ flex: 1, minHeight: 0, minWidth: 0 }}>
        {isWide ? (
          <Card
            size="small"
            style={{ width: 232, flex: 'none', alignSelf: 'flex-start', position: 'sticky', top: 68 }}
            styles={{ body: { padding: 8 } }}
          >
            <ClassList chosen={className ?? null} onChoose={choose} />
          </Card>
        ) : (
          <ClassChoice chosen={className ?? null} onChoose={choose} />
        )}
        <Flex vertical style={{ flex: 1, minWidth: 0 }}>
          <Outlet />
        </Flex>
      </Flex>
    </Page>
  )
}
