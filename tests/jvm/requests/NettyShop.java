import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A handler of two paths: NettyShop COUNT TRUTH. */
public final class NettyShop {
    private static final class Shop extends SimpleChannelInboundHandler<FullHttpRequest> {
        private static String order(int number) {
            long start = System.nanoTime();
            String cause = Requests.order(number);
            Requests.note("NettyShop$Shop.order", start, cause);
            return cause;
        }

        private static String user(int number) {
            long start = System.nanoTime();
            String cause = Requests.user(number);
            Requests.note("NettyShop$Shop.user", start, cause);
            return cause;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws Exception {
            String[] asked = request.uri().split("\\?n=");
            int number = Integer.parseInt(asked[1]);
            String text = asked[0].equals("/orders") ? order(number) : user(number);
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                    Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            response.headers().setInt("Content-Length", text.length());
            context.writeAndFlush(response);
        }
    }

    private static final class Handlers extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536), new Shop());
        }
    }

    public static void main(String[] args) throws Exception {
        EventLoopGroup loops = new NioEventLoopGroup(4);
        ServerBootstrap bootstrap = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
                .childHandler(new Handlers());
        Channel channel = bootstrap.bind("127.0.0.1", 0).sync().channel();
        Clients.ask(((InetSocketAddress) channel.localAddress()).getPort(), Integer.parseInt(args[0]));
        loops.shutdownGracefully().sync();
        Requests.write(args[1]);
    }

    private NettyShop() {}
}
