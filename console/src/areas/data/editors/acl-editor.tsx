import { DeleteOutlined } from '@ant-design/icons'
import { Button, Checkbox, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Table } from '../../../parts/table.tsx'
import type { Acl, DataObject } from '../data-queries.ts'
import { useAclText } from '../values/use-acl-text.ts'
import { ObjectSearch } from './object-search.tsx'

interface AclEditorProps {
  readonly value: Acl
  onChange(value: Acl): void
}

/** Who may read and change an object: everybody, and users and roles who are found by their names. */
export function AclEditor({ value, onChange }: AclEditorProps) {
  const { t } = useTranslation('data')
  const text = useAclText()
  const set = (who: string, right: 'read' | 'write', isGiven: boolean) => {
    const { [right]: _, ...others } = value[who] ?? {}
    onChange({ ...value, [who]: isGiven ? { ...others, [right]: true } : others })
  }
  const remove = (who: string) => onChange(Object.fromEntries(Object.entries(value).filter(([one]) => one !== who)))
  const add = (who: string) => onChange({ ...value, [who]: value[who] ?? { read: true, write: true } })
  const rights = (right: 'read' | 'write', name: string) => ({
    title: name,
    width: 80,
    render: (_: unknown, { who }: { who: string }) => (
      <Checkbox
        aria-label={t('acl.right', { right: name, who: who === '*' ? t('acl.everybody') : who })}
        checked={value[who]?.[right] === true}
        onChange={(event) => set(who, right, event.target.checked)}
      />
    ),
  })
  const entries = ['*', ...Object.keys(value).filter((who) => who !== '*')].map((who) => ({ who }))
  return (
    <Flex vertical gap={12}>
      <Typography.Text type="secondary">{text(value)}</Typography.Text>
      <Table
        size="small"
        rowKey="who"
        pagination={false}
        dataSource={entries}
        scroll={{ x: 'max-content' }}
        columns={[
          {
            title: t('acl.who'),
            render: (_, { who }) =>
              who === '*' ? t('acl.everybody') : <Typography.Text code>{who.slice(0, 80)}</Typography.Text>,
          },
          rights('read', t('acl.read')),
          rights('write', t('acl.write')),
          {
            width: 48,
            render: (_, { who }) =>
              who !== '*' && (
                <Button
                  type="text"
                  size="small"
                  icon={<DeleteOutlined />}
                  aria-label={t('acl.remove', { who })}
                  onClick={() => remove(who)}
                />
              ),
          },
        ]}
      />
      <Flex wrap gap={8}>
        <div style={{ flex: '1 1 200px' }}>
          <ObjectSearch
            className="_User"
            value={null}
            label={t('acl.addUser')}
            onChoose={({ objectId }) => add(objectId)}
          />
        </div>
        <div style={{ flex: '1 1 200px' }}>
          <ObjectSearch
            className="_Role"
            value={null}
            label={t('acl.addRole')}
            onChoose={(role: DataObject) => add(`role:${String(role.name)}`)}
          />
        </div>
      </Flex>
    </Flex>
  )
}
