import { PlusOutlined } from '@ant-design/icons'
import { Button, Flex, Input, Typography } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../../parts/card.tsx'
import { isObject, valueAt } from '../draft.ts'
import { useExplanations } from '../explanations/use-explanations.ts'
import { entryOf, kindOf, type Node } from '../schema.ts'
import { useSettingsDraft } from '../settings-draft.tsx'
import { SettingRow } from './setting-row.tsx'

interface EntriesViewProps {
  readonly node: Node
  /** Renders an entry that is a group of settings, which can contain entries again. */
  renderGroup(group: Node): ReactNode
}

/** Settings with custom names, which can be added and removed. */
export function EntriesView({ node, renderGroup }: EntriesViewProps) {
  const { t } = useTranslation('settings')
  const { explain } = useExplanations()
  const { drafted, canChange, change } = useSettingsDraft()
  const [name, setName] = useState('')
  const { title, about } = explain(node)
  const value = valueAt(drafted, node.path)
  const names = isObject(value) ? Object.keys(value) : []
  const isNew = name.trim() !== '' && !names.includes(name.trim())
  const add = () => {
    if (!isNew) return
    const entry = entryOf(node, name.trim())
    change(entry.path, kindOf(entry) === 'group' ? {} : '')
    setName('')
  }
  return (
    <Card size="small" title={title}>
      {about !== '' && <Typography.Paragraph type="secondary">{about}</Typography.Paragraph>}
      <Flex vertical gap={12}>
        {names.map((known) => {
          const entry = entryOf(node, known)
          const remove = canChange && (
            <Button size="small" onClick={() => change(entry.path, null)} aria-label={t('removeOf', { name: known })}>
              {t('remove')}
            </Button>
          )
          return (
            <Card key={known} type="inner" size="small" title={<span translate="no">{known}</span>} extra={remove}>
              {kindOf(entry) === 'group' ? renderGroup(entry) : <SettingRow node={entry} />}
            </Card>
          )
        })}
        {names.length === 0 && <Typography.Text type="secondary">{t('noEntries')}</Typography.Text>}
        {canChange && (
          <Flex gap={8} style={{ maxWidth: 440 }}>
            <Input
              value={name}
              placeholder={t('newName')}
              aria-label={t('newNameOf', { name: title })}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              onPressEnter={add}
            />
            <Button icon={<PlusOutlined />} disabled={!isNew} onClick={add} aria-label={t('addTo', { name: title })}>
              {t('add')}
            </Button>
          </Flex>
        )}
      </Flex>
    </Card>
  )
}
