import { Popconfirm, type PopconfirmProps } from 'antd'

/** Asks for confirmation beside a button. The focus moves to its button, so that Enter confirms and Escape cancels. */
export function Confirmation({ okButtonProps, ...props }: PopconfirmProps) {
  return <Popconfirm {...props} destroyOnHidden okButtonProps={{ ...okButtonProps, autoFocus: true }} />
}
