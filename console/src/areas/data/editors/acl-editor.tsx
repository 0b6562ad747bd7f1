import { DeleteOutlined } from '@ant-design/icons'
import { Button, Checkbox, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { ownMember } from '../../../api/own-member.ts'
import { GranteeChoice, useGranteeNames } from '../../../parts/grantees/grantee-choice.tsx'
import { granteeOf, nameInAcl } from '../../../parts/grantees/grantees.ts'
import { Table } from '../../../parts/table.tsx'
import type { Acl } from '../data-queries.ts'
import { useAclText } from '../values/use-acl-text.ts'

interface AclEditorProps {
  readonly value: Acl
  onChange(value: Acl): void
}

/** Edits read and write access to an object: for everyone, and for users and roles found by name. */
export function AclEditor({ value, onChange }: AclEditorProps) {
  const { t } = useTranslation('data')
  const text = useAclText()
  const named = Object.keys(value).filter((who) => who !== '*')
  const granteeName = useGranteeNames(named.map(granteeOf))
  const nameOf = (who: string) => (who === '*' ? t('acl.everybody') : granteeName(granteeOf(who)).slice(0, 80))
  const set = (who: string, right: 'read' | 'write', isGiven: boolean) => {
    const { [right]: _, ...others } = ownMember(value, who) ?? {}
    onChange({ ...value, [who]: isGiven ? { ...others, [right]: true } : others })
  }
  const remove = (who: string) => onChange(Object.fromEntries(Object.entries(value).filter(([one]) => one !== who)))
  const add = (who: string) => onChange({ ...value, [who]: ownMember(value, who) ?? { read: true, write: true } })
  const rights = (right: 'read' | 'write', name: string) => ({
    title: name,
    width: 80,
    render: (_: unknown, { who }: { who: string }) => (
      <Checkbox
        aria-label={t('acl.right', { right: name, who: nameOf(who) })}
        checked={ownMember(value, who)?.[right] === true}
        onChange={(event) => set(who, right, event.target.checked)}
      />
    ),
  })
  const entries = ['*', ...named].map((who) => ({ who }))
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
            render: (_, { who }) => (
              <Flex vertical>
                {nameOf(who)}
                {who !== '*' && (
                  <Typography.Text type="secondary" style={{ fontSize: 12 }} translate="no">
                    {who.slice(0, 80)}
                  </Typography.Text>
                )}
              </Flex>
            ),
          },
          rights('read', t('acl.read')),
          rights('write', t('acl.write')),
          {
            key: 'actions',
            width: 48,
            render: (_, { who }) =>
              who !== '*' && (
                <Button
                  type="text"
                  size="small"
                  icon={<DeleteOutlined />}
                  aria-label={t('acl.remove', { who: nameOf(who) })}
                  onClick={() => remove(who)}
                />
              ),
          },
        ]}
      />
      <GranteeChoice label={t('acl.add')} value={[]} onChange={([grantee]) => grantee && add(nameInAcl(grantee))} />
    </Flex>
  )
}
