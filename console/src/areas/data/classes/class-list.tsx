import { PlusOutlined, SearchOutlined } from '@ant-design/icons'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Button, Flex, Input, Menu, Typography, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classNamesQuery } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { useApp } from '../../../api/use-app.ts'
import { ClearIcon } from '../../../parts/clear-icon.tsx'
import { NewClass } from './new-class.tsx'
import { useClassCounts, useShownCount } from './use-shown-count.ts'

export interface ClassListProps {
  readonly chosen: string | null
  onChoose(className: string): void
}

/** The app's own classes, then the built-in ones, each with the number of its objects. */
export function ClassList({ chosen, onChoose }: ClassListProps) {
  const { t } = useTranslation('data')
  const { token } = theme.useToken()
  const { appId, canChange } = useApp()
  const names = useSuspenseQuery(classNamesQuery(appId)).data
  const counts = useClassCounts(chosen)
  const shownCount = useShownCount()
  const [filter, setFilter] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const found = names.filter((name) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  const item = (name: string) => {
    const count = ownMember(counts, name)
    return {
      key: name,
      label: (
        <Flex justify="space-between" align="center" gap={8} style={{ height: '100%' }}>
          <Typography.Text
            ellipsis={{ tooltip: name }}
            style={{ color: 'inherit', lineHeight: 'inherit' }}
            translate="no"
          >
            {name}
          </Typography.Text>
          {count && <span style={{ color: token.colorTextTertiary }}>{shownCount(count)}</span>}
        </Flex>
      ),
    }
  }
  const { own, builtIn } = apart(found)
  const groups = [
    { key: 'own', type: 'group' as const, label: t('classes.own'), children: own.map(item) },
    { key: 'builtIn', type: 'group' as const, label: t('classes.builtIn'), children: builtIn.map(item) },
  ].filter(({ children }) => children.length > 0)
  return (
    <nav aria-label={t('classes.title')}>
      <Flex gap={8}>
        <Input
          allowClear={{ clearIcon: <ClearIcon /> }}
          prefix={<SearchOutlined />}
          placeholder={t('classes.search')}
          aria-label={t('classes.search')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {canChange && (
          <Button icon={<PlusOutlined />} aria-label={t('classes.create')} onClick={() => setIsMaking(true)} />
        )}
      </Flex>
      <div style={{ maxHeight: 'calc(100dvh - 200px)', overflow: 'auto', marginTop: 8 }}>
        {groups.length === 0 && (
          <Typography.Text type="secondary" style={{ display: 'block', padding: 8 }}>
            {t('classes.none')}
          </Typography.Text>
        )}
        <Menu
          mode="inline"
          inlineIndent={12}
          selectedKeys={chosen === null ? [] : [chosen]}
          onClick={({ key }) => onChoose(key)}
          style={{ borderInlineEnd: 'none', background: 'transparent' }}
          items={groups}
        />
      </div>
      <NewClass open={isMaking} onClose={() => setIsMaking(false)} />
    </nav>
  )
}

/** Separates built-in classes, whose names start with an underscore. */
export function apart(names: readonly string[]): { own: string[]; builtIn: string[] } {
  const sorted = [...names].sort((a, b) => a.localeCompare(b))
  return { own: sorted.filter((name) => !isBuiltIn(name)), builtIn: sorted.filter(isBuiltIn) }
}

export function isBuiltIn(className: string): boolean {
  return className.startsWith('_')
}
