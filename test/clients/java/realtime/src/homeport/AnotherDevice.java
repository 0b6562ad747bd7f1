package homeport;

import cn.leancloud.Messages;
import cn.leancloud.command.CommandPacket;
import cn.leancloud.core.AVOSCloud;
import cn.leancloud.core.AppRouter;
import cn.leancloud.service.RTMConnectionServerResponse;
import cn.leancloud.websocket.AVStandardWebSocketClient;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.java_websocket.client.WebSocketClient;

/** A connection of the client's own kind beside the one that it keeps, as another device has it. */
final class AnotherDevice implements AVStandardWebSocketClient.WebSocketClientMonitor {
  private final AVStandardWebSocketClient socket;
  private final List<Messages.GenericCommand> received = new CopyOnWriteArrayList<>();
  private volatile boolean open = false;

  private AnotherDevice(URI server) {
    socket = new AVStandardWebSocketClient(server, AVStandardWebSocketClient.SUB_PROTOCOL_2_3, true, true, null, 10_000, this);
  }

  static AnotherDevice connect() throws InterruptedException {
    RTMConnectionServerResponse route = AppRouter.getInstance()
        .fetchRTMConnectionServer(Server.URL, AVOSCloud.getApplicationId(), "another-device", 1, true).blockingFirst();
    AnotherDevice device = new AnotherDevice(URI.create(route.getServer()));
    device.socket.connect();
    Check.soon("the connection of another device", () -> device.open);
    return device;
  }

  void send(CommandPacket packet) {
    socket.send(packet);
  }

  /** Opens a session of the client, from another device than the process is. */
  void open(String clientId, String tag) throws InterruptedException {
    socket.send(Messages.GenericCommand.newBuilder()
        .setCmd(Messages.CommandType.session)
        .setOp(Messages.OpType.open)
        .setAppId(Server.APP_ID)
        .setPeerId(clientId)
        .setI(1)
        .setSessionMessage(Messages.SessionCommand.newBuilder().setTag(tag).setDeviceId("another-device").setUa("test"))
        .build()
        .toByteArray());
    await(Messages.CommandType.session);
  }

  /** Waits for a command of this type. */
  Messages.GenericCommand await(Messages.CommandType type) throws InterruptedException {
    Check.soon("a command " + type + " on another device", () -> find(type) != null);
    return find(type);
  }

  private Messages.GenericCommand find(Messages.CommandType type) {
    return received.stream().filter((command) -> command.getCmd() == type).findFirst().orElse(null);
  }

  void close() {
    socket.close();
  }

  @Override
  public void onOpen(WebSocketClient client) {
    open = true;
  }

  @Override
  public void onClose(WebSocketClient client, int code, String reason, boolean remote) {}

  @Override
  public void onMessage(WebSocketClient client, ByteBuffer bytes) {
    try {
      received.add(Messages.GenericCommand.parseFrom(bytes));
    } catch (Exception failure) {
      throw new IllegalStateException("The client cannot read what the server sends.", failure);
    }
  }

  @Override
  public void onError(WebSocketClient client, Exception failure) {}
}
