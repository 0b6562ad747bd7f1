import { DeleteOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Checkbox, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { ownMember } from '../../api/own-member.ts'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { GranteeChoice, useGranteeNames } from '../../parts/grantees/grantee-choice.tsx'
import { granteeOf, nameInAcl } from '../../parts/grantees/grantees.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { useUndo } from '../../parts/use-undo.tsx'
import { changeClass } from './class-queries.ts'

type Acl = ClassDescription['defaultAcl']

/** Presets for most classes. */
const PRESETS = {
  public: { '*': { read: true, write: true } },
  readPublic: { '*': { read: true }, _owner: { read: true, write: true } },
  owner: { _owner: { read: true, write: true } },
} satisfies { readonly [name: string]: Acl }

/** The default ACL of new objects. */
export function DefaultAclTab({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const { appId, canChange } = useApp()
  const undoable = useUndo()
  const { className, defaultAcl: kept } = description
  const [acl, setAcl] = useState<Acl>(kept)
  const keeping = useMutation({
    mutationFn: (defaultAcl: Acl) => changeClass(appId, className, { defaultAcl }),
    onSuccess: () =>
      undoable(t('acl.changed'), async () => {
        await changeClass(appId, className, { defaultAcl: kept })
        setAcl(kept)
      }),
  })
  const rows = [...new Set(['*', '_owner', ...Object.keys(acl)])]
  const named = rows.filter((row) => row !== '*' && row !== '_owner')
  const nameOf = useGranteeNames(named.map(granteeOf))
  const nameOfRow = (row: string) => {
    if (row === '*') return t('acl.everybody')
    if (row === '_owner') return t('acl.owner')
    return t(row.startsWith('role:') ? 'meaning.role' : 'meaning.user', { name: nameOf(granteeOf(row)) })
  }
  const set = (row: string, right: 'read' | 'write', granted: boolean) =>
    setAcl((before) => ({ ...before, [row]: { ...ownMember(before, row), [right]: granted } }))
  return (
    <Flex vertical gap={16}>
      <Typography.Paragraph type="secondary" style={{ margin: 0, maxWidth: 760 }}>
        {t('acl.about')}
      </Typography.Paragraph>
      {canChange && (
        <Flex wrap gap={8}>
          {(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((name) => (
            <Button key={name} onClick={() => setAcl(PRESETS[name])}>
              {t(`acl.preset.${name}`)}
            </Button>
          ))}
        </Flex>
      )}
      <Card styles={{ body: { padding: 0 } }}>
        <Table<{ readonly row: string }>
          rowKey="row"
          pagination={false}
          scroll={{ x: 320 }}
          dataSource={rows.map((row) => ({ row }))}
          columns={[
            { title: t('acl.who'), key: 'who', render: (_, { row }) => nameOfRow(row) },
            ...(['read', 'write'] as const).map((right) => ({
              title: t(`acl.${right}`),
              key: right,
              width: 90,
              align: 'center' as const,
              render: (_: unknown, { row }: { readonly row: string }) => (
                <Checkbox
                  aria-label={`${nameOfRow(row)}: ${t(`acl.${right}`)}`}
                  disabled={!canChange}
                  checked={ownMember(acl, row)?.[right] === true}
                  onChange={({ target }) => set(row, right, target.checked)}
                />
              ),
            })),
            {
              title: <span className="only-heard">{t('schema.actions')}</span>,
              key: 'actions',
              width: 56,
              render: (_, { row }) =>
                canChange &&
                named.includes(row) && (
                  <Button
                    type="text"
                    icon={<DeleteOutlined />}
                    aria-label={t('acl.remove', { name: nameOfRow(row) })}
                    onClick={() => setAcl(({ [row]: _, ...others }) => others)}
                  />
                ),
            },
          ]}
        />
      </Card>
      {canChange && (
        <Flex vertical gap={12} style={{ maxWidth: 480 }}>
          <GranteeChoice
            label={t('acl.add')}
            value={[]}
            onChange={([grantee]) =>
              grantee && setAcl((before) => ({ ...before, [nameInAcl(grantee)]: { read: true } }))
            }
          />
          <ProblemNotice error={keeping.error} />
          <Button
            type="primary"
            style={{ alignSelf: 'flex-start' }}
            loading={keeping.isPending}
            disabled={JSON.stringify(granted(acl)) === JSON.stringify(granted(kept))}
            onClick={() => keeping.mutate(granted(acl))}
          >
            {t('acl.keep')}
          </Button>
        </Flex>
      )}
    </Flex>
  )
}

/** Returns only granted rights in a fixed order, so that equivalent ACLs are equal. */
function granted(acl: Acl): Acl {
  return Object.fromEntries(
    Object.entries(acl)
      .map(([row, { read, write }]) => [row, { ...(read && { read }), ...(write && { write }) }] as const)
      .filter(([, rights]) => Object.keys(rights).length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
