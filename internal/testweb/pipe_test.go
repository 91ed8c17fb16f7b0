package testweb

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func testPipe() (client, server *pipe) { return newPipe(memoryAddr(1), memoryAddr(2)) }

func TestPipeBuffersWhatIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := testPipe()
		if n, err := server.Write([]byte("answer")); n != 6 || err != nil {
			t.Errorf("Write without a reader = %d, %v, want 6, nil", n, err)
		}
		server.Close()
		if got, err := io.ReadAll(client); err != nil || string(got) != "answer" {
			t.Errorf("read after Close of the writer: %q, %v, want \"answer\"", got, err)
		}
	})
}

func TestPipeWriterWaitsWhenTheBufferIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := testPipe()
		sent := bytes.Repeat([]byte("0123456789"), streamSize/5) // twice what fits
		done := false
		go func() {
			server.Write(sent)
			server.Close()
			done = true
		}()
		synctest.Wait()
		if done {
			t.Error("Write of twice the buffer returned without a reader")
		}
		if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("read %d bytes, %v, want the %d that were sent", len(got), err, len(sent))
		}
	})
}

func TestPipeDeadlinesRunOnTheClockOfTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := testPipe()
		start := time.Now()
		client.SetDeadline(start.Add(time.Hour))
		var netErr net.Error
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &netErr) || !netErr.Timeout() {
			t.Errorf("Read fails with %v, want %v and a timeout", err, os.ErrDeadlineExceeded)
		}
		if got, want := time.Since(start), time.Hour; got != want {
			t.Errorf("Read waited %v, want %v", got, want)
		}
		if _, err := client.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write after the deadline fails with %v, want %v", err, os.ErrDeadlineExceeded)
		}

		client.SetDeadline(time.Time{})
		if _, err := client.Write([]byte("x")); err != nil {
			t.Errorf("Write after the deadline is lifted fails with %v", err)
		}
		client.SetWriteDeadline(time.Now().Add(time.Minute))
		start = time.Now()
		if n, err := client.Write(make([]byte, streamSize)); n != streamSize-1 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write into a full buffer = %d, %v, want %d and %v", n, err, streamSize-1, os.ErrDeadlineExceeded)
		}
		if got, want := time.Since(start), time.Minute; got != want {
			t.Errorf("Write waited %v, want %v", got, want)
		}
	})
}

func TestPipeDeadlineInThePastWakesAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := testPipe()
		go func() {
			synctest.Wait() // the reader waits
			client.SetReadDeadline(time.Unix(1, 0))
		}()
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Read fails with %v, want %v", err, os.ErrDeadlineExceeded)
		}
		client.SetReadDeadline(time.Time{})
		server.Write([]byte("x"))
		if n, err := client.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("Read afterwards = %d, %v, want 1, nil", n, err)
		}
	})
}

func TestPipeEndsAsTCPDoes(t *testing.T) {
	for _, test := range []struct {
		rule                    string
		end                     func(client, server *pipe)
		clientRead, clientWrite error
		serverRead, serverWrite error
		clientSees              string
	}{
		{rule: "close of one end",
			end:        func(_, server *pipe) { server.Close() },
			clientRead: io.EOF, clientWrite: syscall.EPIPE, serverRead: net.ErrClosed, serverWrite: net.ErrClosed, clientSees: "sent"},
		{rule: "reset by one end throws away what was sent",
			end:        func(_, server *pipe) { server.reset() },
			clientRead: syscall.ECONNRESET, clientWrite: syscall.ECONNRESET, serverRead: net.ErrClosed, serverWrite: net.ErrClosed},
		{rule: "close of both ends",
			end: func(client, server *pipe) {
				server.Close()
				client.Close()
			},
			clientRead: net.ErrClosed, clientWrite: net.ErrClosed, serverRead: net.ErrClosed, serverWrite: net.ErrClosed},
	} {
		t.Run(test.rule, func(t *testing.T) {
			client, server := testPipe()
			server.Write([]byte("sent"))
			test.end(client, server)
			b := make([]byte, 10)
			if test.clientSees != "" {
				if n, err := client.Read(b); err != nil || string(b[:n]) != test.clientSees {
					t.Errorf("client reads %q, %v, want %q", b[:n], err, test.clientSees)
				}
			}
			if _, err := client.Read(b); !errors.Is(err, test.clientRead) {
				t.Errorf("client's Read fails with %v, want %v", err, test.clientRead)
			}
			if _, err := client.Write(b); !errors.Is(err, test.clientWrite) {
				t.Errorf("client's Write fails with %v, want %v", err, test.clientWrite)
			}
			if _, err := server.Read(b); !errors.Is(err, test.serverRead) {
				t.Errorf("server's Read fails with %v, want %v", err, test.serverRead)
			}
			if _, err := server.Write(b); !errors.Is(err, test.serverWrite) {
				t.Errorf("server's Write fails with %v, want %v", err, test.serverWrite)
			}
		})
	}
}
